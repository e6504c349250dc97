# Language level, warnings, sanitizers: the same for every target of the project.
include(CheckCCompilerFlag)

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
set(DUET_CODE "-O2 -g" CACHE STRING "Optimization and debug information of RelWithDebInfo")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "${DUET_CODE}")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "${DUET_CODE}")

option(DUET_WERROR "Warnings are errors" ON)
set(DUET_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize= (address,undefined or thread)")

add_library(duet_options INTERFACE)
target_compile_definitions(duet_options INTERFACE _GNU_SOURCE)
target_compile_options(duet_options INTERFACE
    -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual
    -Wdouble-promotion -Wformat=2 -Wundef -Wvla -Wwrite-strings -Wswitch-enum
    -Wnull-dereference -fno-common -ffp-contract=off
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>
    $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
    $<$<BOOL:${DUET_WERROR}>:-Werror>)
# Constants are enumerators here, of type int in C. clang 19 takes them for values of their
# enumeration, of which it wants no arithmetic with numbers.
if(CMAKE_C_COMPILER_ID STREQUAL "Clang" AND CMAKE_C_COMPILER_VERSION VERSION_GREATER_EQUAL 19)
    target_compile_options(duet_options INTERFACE
        $<$<COMPILE_LANGUAGE:C>:-Wno-enum-float-conversion>)
endif()
# Hardening: what an overflow of a buffer can reach, and what may be written after start.
include(CheckPIESupported)
check_pie_supported()
check_c_compiler_flag(-fstack-clash-protection DUET_HAS_STACK_CLASH_PROTECTION)
target_compile_options(duet_options INTERFACE -fstack-protector-strong
    $<$<BOOL:${DUET_HAS_STACK_CLASH_PROTECTION}>:-fstack-clash-protection>)
target_link_options(duet_options INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)
if(NOT DUET_SANITIZE) # sanitizers look at the same calls, and at more
    target_compile_options(duet_options INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()
if(DUET_SANITIZE)
    target_compile_options(duet_options INTERFACE -fsanitize=${DUET_SANITIZE}
        -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(duet_options INTERFACE -fsanitize=${DUET_SANITIZE})
    # Sanitizers' tables are full of addresses: 200,000 to put right at each start of duet.
    set(CMAKE_C_LINK_OPTIONS_PIE -no-pie)
    # Where clang's runtime is in the program, LeakSanitizer crashes now and then at the end
    # of one that has loaded libpq. As a library, as gcc has it, it does not.
    if(CMAKE_C_COMPILER_ID STREQUAL "Clang" AND DUET_SANITIZE MATCHES "^address")
        set(runtime libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so)
        execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=${runtime}
            OUTPUT_VARIABLE runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
        if(IS_ABSOLUTE "${runtime}" AND EXISTS "${runtime}")
            cmake_path(GET runtime PARENT_PATH folder)
            target_link_options(duet_options INTERFACE -shared-libasan -Wl,-rpath,${folder})
        endif()
    endif()
endif()
option(DUET_COVERAGE "Count executed lines and branches" OFF)
if(DUET_COVERAGE)
    add_library(duet_coverage STATIC ${PROJECT_SOURCE_DIR}/tests/support/coverage_exit.c)
    target_compile_options(duet_options INTERFACE --coverage -fprofile-update=atomic)
    target_link_options(duet_options INTERFACE --coverage -Wl,--wrap=_exit,--wrap=__gcov_execve)
    target_link_libraries(duet_options INTERFACE duet_coverage)
endif()

# duet_embed(FILE HEADER NAME RESULT): a C source that defines the bytes of FILE as
# `NAME` and their number as `NAME_size`, both declared in HEADER; its path in RESULT.
function(duet_embed file header name result)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} bytes HEX)
    string(REPEAT "[0-9a-f]" 32 line)
    string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.c)
    file(CONFIGURE OUTPUT ${source} CONTENT
        "#include \"${header}\"\nconst unsigned char ${name}[] = {\n${bytes}};\nconst size_t ${name}_size = sizeof ${name};\n"
        @ONLY)
    set(${result} ${source} PARENT_SCOPE)
endfunction()

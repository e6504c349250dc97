#!/bin/sh
# Builds duet.node beside this file. CFLAGS and LIBS: where duet.h and libduet are, when
# pkg-config does not know them. HEADERS: the folder of node_api.h.
set -eu
cd "$(dirname "$0")"
headers=${HEADERS:-$(node -p "require('node-api-headers').include_dir")}
# shellcheck disable=SC2086 # words
${CC:-cc} -O2 -shared -fPIC -I "$headers" ${CFLAGS:-$(pkg-config --cflags duet)} duet_node.c \
    ${LIBS:-$(pkg-config --libs duet)} -o "${OUTPUT:-duet.node}"

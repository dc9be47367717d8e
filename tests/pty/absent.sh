#!/bin/sh
echo 'the terminal tests are skipped: libvterm-dev was not there at configure'
exit 77

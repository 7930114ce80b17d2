execute 'source' expand('<sfile>:p:h:h') . '/ycm.vim'
" Debian's ycmd is for the system's Python, which need not be the first one.
let g:ycm_server_python_interpreter = '/usr/bin/python3'
filetype plugin on
packadd youcompleteme

filetype plugin on
packadd ale

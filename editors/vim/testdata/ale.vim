filetype plugin on
" Legible in the picture, whose terminal has few colours.
highlight SpellBad cterm=underline ctermbg=NONE
packadd ale

;;; For init.el, with eglot, which is part of Emacs 29 and later.
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               '((markdown-mode (js-json-mode :language-id "json")) . ("memls"))))
(add-hook 'markdown-mode-hook #'eglot-ensure)
(add-hook 'js-json-mode-hook #'eglot-ensure) ; .memfs.config.json

;;; For init.el, with lsp-mode.
(with-eval-after-load 'lsp-mode
  (lsp-register-client
   (make-lsp-client :new-connection (lsp-stdio-connection "memls")
                    :activation-fn (lsp-activate-on "markdown" "json")
                    :add-on? t ; beside another server for Markdown
                    :server-id 'memls)))
(add-hook 'markdown-mode-hook #'lsp-deferred)
(add-hook 'js-json-mode-hook #'lsp-deferred) ; .memfs.config.json

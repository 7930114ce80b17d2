;;; Nothing may pop up, be compiled or be asked while a test types.
(setq native-comp-deferred-compilation nil
      inhibit-startup-screen t)
;; lsp-mode creates a file behind the back of its own buffer. A person answers
;; once that the buffer is to be edited all the same.
(advice-add 'ask-user-about-supersession-threat :override #'ignore)

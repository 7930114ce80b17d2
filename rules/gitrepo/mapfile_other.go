//go:build !unix

package gitrepo

import "os"

func mapFile(string, int64) ([]byte, os.FileInfo, error) { return nil, nil, errNoMapping }

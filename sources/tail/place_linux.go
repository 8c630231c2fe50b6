package tail

import (
	"os"

	"golang.org/x/sys/unix"
)

// localFile tells whether f lies on a file system of this machine. On a remote
// one a stat can fail at any time, which ends the program from inside the
// library. Unknown counts as remote.
func localFile(f *os.File) bool {
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	var st unix.Statfs_t
	var serr error
	if err := conn.Control(func(fd uintptr) { serr = unix.Fstatfs(int(fd), &st) }); err != nil || serr != nil {
		return false
	}
	switch uint32(st.Type) { //nolint:gosec // file system magics are 32 bits wide
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC,
		unix.FUSE_SUPER_MAGIC, unix.V9FS_MAGIC, unix.AFS_SUPER_MAGIC, unix.CEPH_SUPER_MAGIC:
		return false
	}
	return true
}

module holdfast.io/interop

go 1.25

require github.com/mtingers/dflockd v1.16.1

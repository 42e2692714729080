module holdfast.io/interop/socketlock

go 1.25

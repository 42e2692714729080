import socket
s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
s.connect("/var/run/lockd/socket")
s.sendall(b"g foo\n")
print(s.recv(4096))

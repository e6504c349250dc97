module duet.example/duet

go 1.24

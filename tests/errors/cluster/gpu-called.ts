gpu g {
  memory = 80 GiB
  bandwidth = 1 TB/s
  called = ["g 80GB", 80]
}

cluster c() {
  device d[1]: g
}

plan p {
  cluster = c()
}

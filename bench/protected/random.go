package main

func generate(n int, seed uint64) []*program { return nil }

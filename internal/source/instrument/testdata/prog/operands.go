package main

import "prog/operands"

func init() { subjects["operands"] = operands.Run }

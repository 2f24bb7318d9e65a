package runtime

// presageReproduction is the file with the schedule of a program that is built without presage. In
// the overlay of such a program another file stands for this one.
const presageReproduction = ""

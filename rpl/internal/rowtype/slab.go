package rowtype

const WordSize = 4

// Text of other people that the project quotes, and names of a public contract: not its own prose.
export const QUOTED: readonly string[] = [
  // The id of an assertion of the load tests.
  "'told'",
  '`told`',
]

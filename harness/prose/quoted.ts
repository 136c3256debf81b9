// Text of other people that the project quotes, and names of a public contract: not its own prose.
export const QUOTED: readonly string[] = []

// The clock of every measured time: monotonic, and the same in all processes of a machine.
export function clockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

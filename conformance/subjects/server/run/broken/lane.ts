// Which requests of a run are in flight: most go beside each other, and one whose connection broke is sent again with nothing
// else in flight, so that it is not blamed for what another one did.

/** Called before and after a wait. */
type OnWait = ((waiting: boolean) => void) | undefined

export type Lane = ReturnType<typeof createLane>

export function createLane() {
  let open = 0
  /** Those that are alone, or wait to be. */
  let due = 0
  let turns: Promise<unknown> = Promise.resolve()
  let onIdle = (): void => {}

  async function waiting(until: Promise<unknown>, onWait: OnWait): Promise<void> {
    onWait?.(true)
    await until
    onWait?.(false)
  }

  return {
    /** Runs beside others, behind those that wait to be alone. */
    async together<Result>(act: () => Promise<Result>, onWait?: OnWait): Promise<Result> {
      while (due > 0) await waiting(turns, onWait)
      open += 1
      try {
        return await act()
      } finally {
        open -= 1
        if (open === 0) onIdle()
      }
    },
    /** Runs when all others have ended, of which each has a time limit. Several run in turn. */
    async alone<Result>(act: () => Promise<Result>, onWait?: OnWait): Promise<Result> {
      const isFree = due === 0 && open === 0
      due += 1
      const ready = turns.then(() =>
        open === 0 ? undefined : new Promise<void>((resolve) => (onIdle = resolve)),
      )
      const turn = (isFree ? ready : waiting(ready, onWait)).then(act)
      turns = turn.catch(() => {}).finally(() => (due -= 1))
      return turn
    },
  }
}

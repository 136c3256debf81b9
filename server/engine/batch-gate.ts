// Keeps the runs of one model in step: a batch begins when each run that is under way wants its next token. A batch of
// all costs little more than a batch of one, and between two of them the context is free for what else it must do.

export interface BatchMember {
  /** Resolves when every member waits here. */
  ready(): Promise<void>
  /** The others wait for this one no longer. Safe to call twice. */
  leave(): void
}

export interface BatchGate {
  join(): BatchMember
}

/** `onBatch` is told of each batch before it begins, and when the last member left. */
export function createBatchGate(onBatch: () => void): BatchGate {
  let members = 0
  let waiting: (() => void)[] = []

  function openForAll(): void {
    if (waiting.length < members) return
    const everybody = waiting
    waiting = []
    onBatch()
    for (const go of everybody) go()
  }

  return {
    join() {
      members += 1
      let joined = true
      return {
        ready: async () =>
          new Promise<void>((resolve) => {
            waiting.push(resolve)
            openForAll()
          }),
        leave() {
          if (!joined) return
          joined = false
          members -= 1
          openForAll()
        },
      }
    },
  }
}

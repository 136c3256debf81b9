// Places for programs that run side by side: who wants some waits until they are free, in turn.
export interface Places {
  /** Resolves with what gives the places back, once however often it is called. */
  take(count: number): Promise<() => void>
}

/** `total` places; who wants more than there are takes all of them. */
export function createPlaces(total: number): Places {
  let free = total
  const waiting: { readonly count: number; readonly resolve: () => void }[] = []

  function serve(): void {
    for (let next = waiting[0]; next !== undefined && next.count <= free; next = waiting[0]) {
      waiting.shift()
      free -= next.count
      next.resolve()
    }
  }

  return {
    async take(wanted) {
      const count = Math.min(wanted, total)
      await new Promise<void>((resolve) => {
        waiting.push({ count, resolve })
        serve()
      })
      let isGiven = false
      return () => {
        if (isGiven) return
        isGiven = true
        free += count
        serve()
      }
    },
  }
}

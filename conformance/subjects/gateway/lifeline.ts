// Finds a gateway that has stopped answering, for example because its pool of connections is exhausted: what is not
// answered then has one cause, and shows nothing about the upstream of its scenario.
import { Inconclusive } from '../../contract/outcome.ts'
import { answer } from '../../../harness/scripted-service/scripted-answers.ts'
import type { Crossings } from './cross.ts'
import type { Crossing, GatewayScenario } from './crossing.ts'

/** A plain request: a gateway that answers it, whatever it answers, has not stopped. */
const CONTROL: GatewayScenario = {
  name: 'control',
  phase: 'answers',
  request: {},
  script: () => [answer],
  checks: [],
}

/** The request neither reached the upstream nor got an answer. */
function isLost({ answer: client, leftMs, calls, strays }: Crossing): boolean {
  return client === undefined && leftMs === undefined && calls.length + strays.length === 0
}

/** A lost request, and the scenario after which the gateway has stopped answering. */
interface StoppedCrossing extends Crossing {
  readonly stoppedAfter: string
}

export function createLifeline({ cross }: Pick<Crossings, 'cross'>) {
  let latest = 'its first answer'
  let lost: StoppedCrossing | undefined
  let control: Promise<boolean> | undefined

  async function hasStopped(): Promise<boolean> {
    control ??= cross(CONTROL)
      .then((crossings) => crossings.every(isLost))
      .finally(() => (control = undefined))
    return await control
  }

  return {
    /** The first request that was lost because the gateway has stopped answering. */
    lost: () => lost,
    /** Sends a scenario. */
    async watch(
      { name, phase }: GatewayScenario,
      send: () => Promise<readonly Crossing[]>,
    ): Promise<readonly Crossing[]> {
      const before = latest
      const crossings = await send()
      const first = crossings.find(isLost)
      // Before an upstream that is down, the control would be lost for the reason that the scenario is about.
      if (first === undefined || phase === 'down' || !(await hasStopped())) latest = `\`${name}\``
      else lost ??= { ...first, stoppedAfter: before }
      return crossings
    },
  }
}

/** The end of a check whose request the gateway no longer answers. */
export function stopped({ stoppedAfter }: StoppedCrossing): Inconclusive {
  return new Inconclusive(`the gateway stopped answering after ${stoppedAfter}, which GATE-12 judges`)
}

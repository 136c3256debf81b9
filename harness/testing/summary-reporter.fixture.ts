// What a run of the tests ends with: what was not tested here, by one line, and how each failure is repeated.
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'
import { describeTool, isSkipped, TOOLS } from './tools.fixture.ts'

/** How fast-check's message tells which case failed. */
const FAILED_CASE = /seed: (-?\d+), path: "([\d:]+)"/

export class SummaryReporter implements Reporter {
  #vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = [
      ...modules.flatMap((module) => [...module.children.allTests('failed')].map(repeatLine)),
      ...this.#skipLines(modules),
    ]
    for (const line of lines) this.#vitest?.logger.log(line)
  }

  #skipLines(modules: readonly TestModule[]): string[] {
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')])
    const needed = new Set(skipped.flatMap(({ tags }) => tags))
    const missing = TOOLS.filter((tool) => needed.has(tool.name) && isSkipped(tool))
    const isQuick = this.#vitest?.config.tagsFilter !== undefined
    const left = isQuick ? skipped.filter(({ tags }) => tags.includes('slow')).length : 0
    return [
      ...(missing.length > 0 ? [`not tested here: ${missing.map(describeTool).join(', ')}`] : []),
      ...(left > 0 ? [`left to npm run test:all: ${left} slow tests`] : []),
    ]
  }
}

/** The line that runs a failed test again, on the case that failed where a property found one. */
export function repeatLine(test: TestCase): string {
  const messages = test.result().errors?.map(({ message }) => message) ?? []
  const [, seed, path] = FAILED_CASE.exec(messages.join('\n')) ?? []
  const again = seed === undefined ? '' : `FC_SEED=${seed} FC_PATH=${path} `
  return `to repeat: ${again}npx vitest run ${test.module.relativeModuleId} -t ${shellQuoted(test.fullName)}`
}

/** `-t` takes a pattern of the whole name; a shell must take it as one word. */
function shellQuoted(fullName: string): string {
  const pattern = fullName.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)
  return `'${pattern.replaceAll("'", String.raw`'\''`)}'`
}

// Ends a test run with one line about skipped tests and the command that repeats each failure.
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'
import { describeTool, isSkipped, TOOLS } from './tools.fixture.ts'

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
      ...(left > 0 ? [`only in npm run test:all: ${left} slow tests`] : []),
    ]
  }
}

/** The command that repeats a failed test, with the failed case of a property. */
export function repeatLine(test: TestCase): string {
  const messages = test.result().errors?.map(({ message }) => message) ?? []
  const [, seed, path] = FAILED_CASE.exec(messages.join('\n')) ?? []
  const again = seed === undefined ? '' : `FC_SEED=${seed} FC_PATH=${path} `
  return `to repeat: ${again}npx vitest run ${test.module.relativeModuleId} -t ${shellQuoted(test.fullName)}`
}

/** Quotes a name as a pattern for `-t` and as one word for a shell. */
function shellQuoted(fullName: string): string {
  const pattern = fullName.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)
  return `'${pattern.replaceAll("'", String.raw`'\''`)}'`
}

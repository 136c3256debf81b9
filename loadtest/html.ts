export function renderReport(verdict: unknown, _run: unknown, _shown: string): string {
  return JSON.stringify(verdict)
}

// A report in the form that a reader asks for. Each renderer is loaded when it is needed.
import type { Report } from '../contract/report.ts'

const RENDERERS = {
  json: async () => (report: Report) => `${JSON.stringify(report, undefined, 2)}\n`,
  junit: async () => (await import('./junit.ts')).renderJunit,
  html: async () => (await import('./html/report-page.ts')).renderHtml,
  markdown: async () => (await import('./markdown/markdown.ts')).renderMarkdown,
  badge: async () => (await import('./badge.ts')).renderBadge,
} as const

export type ReportForm = keyof typeof RENDERERS

/** The forms, in the order in which they are written. */
export const FORMS = ['json', 'junit', 'html', 'markdown', 'badge'] as const satisfies readonly ReportForm[]

export async function renderReport(report: Report, form: ReportForm): Promise<string> {
  const render = await RENDERERS[form]()
  return render(report)
}

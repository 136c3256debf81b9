// The addresses of the dashboard's pages.

/** Where the dashboard is mounted. */
export const BASE = '/dashboard'

export function keyPath(id: string, change?: 'revoke' | 'delete'): string {
  return `${BASE}/keys/${encodeURIComponent(id)}${change === undefined ? '' : `/${change}`}`
}

/** The rotation of one key; the other key is chosen on the page. */
export function rotationPath(oldId: string): string {
  return `${BASE}/rotation?old=${encodeURIComponent(oldId)}`
}

/** The audit log of one key. */
export function auditPath(id: string): string {
  return `${BASE}/audit?key=${encodeURIComponent(id)}`
}

// Where the pages of a key are.
import { BASE } from './layout.ts'

export function keyPath(id: string): string {
  return `${BASE}/keys/${encodeURIComponent(id)}`
}

export function revokePath(id: string): string {
  return `${keyPath(id)}/revoke`
}

/** The rotation of one key; the other is chosen there. */
export function rotationPath(oldId: string): string {
  return `${BASE}/rotation?old=${encodeURIComponent(oldId)}`
}

/** What was done to one key. */
export function auditPath(id: string): string {
  return `${BASE}/audit?key=${encodeURIComponent(id)}`
}

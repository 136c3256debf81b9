// Servers about which the judge is known to be wrong. The kill table leaves them out of its test, and they stand in the
// tables all the same. This list must be empty in the end.

export const openGaps: ReadonlySet<string> = new Set([])

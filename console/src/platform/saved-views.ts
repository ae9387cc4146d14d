import * as v from 'valibot'

/** Filters of a list under a name. They are those of an address, so an old view that a page no longer knows still opens. */
export interface SavedView {
  readonly name: string
  readonly search: object
}

const MOST_VIEWS = 20
const keyOf = (list: string) => `batua views of ${list}`
const stored = v.fallback(v.array(v.object({ name: v.string(), search: v.looseObject({}) })), [])

/** The views of a list that this browser keeps; none where it keeps nothing. */
export function readViews(list: string): readonly SavedView[] {
  try {
    return v.parse(stored, JSON.parse(localStorage.getItem(keyOf(list)) ?? '[]'))
  } catch {
    return []
  }
}

/** Keeps the newest of these views. A browser that refuses to store them shows them until the page is left. */
export function writeViews(list: string, views: readonly SavedView[]): readonly SavedView[] {
  const kept = views.slice(-MOST_VIEWS)
  try {
    localStorage.setItem(keyOf(list), JSON.stringify(kept))
  } catch {
    // The storage is full or forbidden.
  }
  return kept
}

/** A map for caching that never holds more than twice `capacity` entries and keeps the ones in use. */
export interface BoundedMap<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): void
  delete(key: K): void
}

/**
 * Two generations: when the young one is full, it becomes the old one. An entry read from the old generation moves to the
 * young one. Unlike in an LRU list, a hit in the young generation moves nothing.
 */
export function boundedMap<K, V>(capacity: number): BoundedMap<K, V> {
  let young = new Map<K, V>()
  let old = new Map<K, V>()

  const set = (key: K, value: V) => {
    if (young.size >= capacity) {
      old = young
      young = new Map()
    }
    young.set(key, value)
  }
  return {
    set,
    get(key) {
      const found = young.get(key)
      if (found !== undefined) return found
      const aged = old.get(key)
      if (aged !== undefined) set(key, aged)
      return aged
    },
    delete(key) {
      young.delete(key)
      old.delete(key)
    },
  }
}

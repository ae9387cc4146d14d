/** Chance from a seed: the same seed throws the same dice. */
export interface Dice {
  /** A whole number from 0 up to `count`, that one not included. */
  below(count: number): number
  /** A whole number within these bounds, both included. */
  between(least: number, most: number): number
  chance(share: number): boolean
  pick<T>(list: readonly T[]): T
  /** One of the names, each as often as its weight says. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name
  shuffled<T>(list: readonly T[]): T[]
}

const STEP = 0x6d2b79f5
const RANGE = 2 ** 32

export function seededDice(seed: number): Dice {
  let state = seed >>> 0

  /** The generator known as mulberry32. */
  function next(): number {
    state = (state + STEP) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / RANGE
  }
  const below = (count: number) => Math.floor(next() * count)

  function pick<T>(list: readonly T[]): T {
    const picked = list[below(list.length)]
    if (picked === undefined) throw new Error('There is nothing to pick from')
    return picked
  }

  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    chance: share => next() < share,
    pick,
    weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
      const names = Object.keys(weights) as Name[]
      let left = next() * names.reduce((sum, name) => sum + weights[name], 0)
      return names.find(name => (left -= weights[name]) < 0) ?? pick(names)
    },
    shuffled<T>(list: readonly T[]): T[] {
      const left = [...list]
      return list.map(() => left.splice(below(left.length), 1)).flat()
    },
  }
}

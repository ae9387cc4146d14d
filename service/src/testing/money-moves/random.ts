import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'

/** Random choices from a seed: the same seed gives the same choices. */
export interface Random {
  /** An integer from 0 to `count`, exclusive. */
  below(count: number): number
  /** An integer between these bounds, inclusive. */
  between(least: number, most: number): number
  chance(share: number): boolean
  pick<T>(list: readonly T[]): T
  /** One of the names, with the probability of its weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name
  shuffled<T>(list: readonly T[]): T[]
}

export function seededRandom(seed: number): Random {
  const generator = xoroshiro128plus(seed)
  const next = () => uniformFloat64(generator)
  const between = (least: number, most: number) => uniformInt(generator, least, most)
  const below = (count: number) => between(0, count - 1)

  function pick<T>(list: readonly T[]): T {
    const picked = list[below(list.length)]
    if (picked === undefined) throw new Error('there is nothing to choose from')
    return picked
  }

  return {
    below,
    between,
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

/** One way of loading the pay route. */
export interface Load {
  readonly title: string
  /** Connections, each with one payment under way at a time. */
  readonly connections: number
  /** `random`: every payment between two agents drawn at random. `hot`: all of them to the same agent. */
  readonly payee: Payee
}

export type Payee = 'random' | 'hot'

export const LOADS = {
  'random-64': { title: 'random pairs, 64 connections', connections: 64, payee: 'random' },
  'hot-64': { title: 'one hot payee, 64 connections', connections: 64, payee: 'hot' },
  'random-256': { title: 'random pairs, 256 connections', connections: 256, payee: 'random' },
  'hot-256': { title: 'one hot payee, 256 connections', connections: 256, payee: 'hot' },
  'random-1': { title: 'random pairs, one client', connections: 1, payee: 'random' },
} as const satisfies Record<string, Load>

export type LoadName = keyof typeof LOADS

export const LOAD_NAMES = Object.keys(LOADS) as LoadName[]

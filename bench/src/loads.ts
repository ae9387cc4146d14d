/** One load on the pay route. */
export interface Load {
  readonly title: string
  /** Connections, each with one payment in progress at a time. */
  readonly connections: number
  /** `random`: every payment is between two random agents. `hot`: all of them go to the same agent. */
  readonly payee: Payee
  readonly agents: Group
}

/**
 * `near`: one of the next few agents after the payer, so that a payee list can name them. `across`: any agent of the
 * other platform, where the agents of two platforms alternate.
 */
export type Payee = 'random' | 'hot' | 'near' | 'across'

/** The number of payees of a payer of `near` payments, and so the length of a strict agent's payee list. */
export const NEAR = 16

/** Agents by their policy: with four limits like most agents, without limits of their own, and with all ten controls. */
export const GROUPS = ['usual', 'open', 'strict'] as const

export type Group = (typeof GROUPS)[number]

export const LOADS = {
  'random-64': { title: 'random pairs, 64 connections', connections: 64, payee: 'random', agents: 'usual' },
  'hot-64': { title: 'one hot payee, 64 connections', connections: 64, payee: 'hot', agents: 'usual' },
  'random-256': {
    title: 'random pairs, 256 connections',
    connections: 256,
    payee: 'random',
    agents: 'usual',
  },
  'hot-256': { title: 'one hot payee, 256 connections', connections: 256, payee: 'hot', agents: 'usual' },
  'open-64': { title: 'no controls, 64 connections', connections: 64, payee: 'near', agents: 'open' },
  'strict-64': {
    title: 'all ten controls, 64 connections',
    connections: 64,
    payee: 'near',
    agents: 'strict',
  },
  'random-1': { title: 'random pairs, one client', connections: 1, payee: 'random', agents: 'usual' },
} as const satisfies Record<string, Load>

export type LoadName = keyof typeof LOADS

export const LOAD_NAMES = Object.keys(LOADS) as LoadName[]

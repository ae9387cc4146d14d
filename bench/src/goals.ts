import { figure, median } from './figures.ts'
import type { LoadName } from './loads.ts'
import { type LoadMeasurement, type Measurements, perSecond } from './measure.ts'

/** A goal and its measured figure. NaN: not measured. */
export interface Goal {
  readonly name: string
  readonly measured: string
  readonly wanted: string
  readonly verdict: 'reached' | 'minimum reached' | 'missed' | 'not measured'
}

const TPCB_AIM = 3
const TPCB_LEAST = 1.5
const HOT_LEAST = 0.9
const CLIENT_P50_MS = 1.5
const STRICT_LEAST = 0.9
const ONE_CLIENT_MOST = 1.8

/** Ratios are computed within each round, whose measurements are closest in time; then their median. */
export function goalsOfPayments(measurements: Measurements): Goal[] {
  return [
    overTpcb(measurements, 'random-64', 64),
    overTpcb(measurements, 'random-256', 256),
    hotOverRandom(measurements, 'hot-64', 'random-64', 64),
    hotOverRandom(measurements, 'hot-256', 'random-256', 256),
    allControls(measurements),
    oneClient(measurements),
    oneClientOverTpcb(measurements),
  ]
}

function overTpcb(measurements: Measurements, load: LoadName, connections: number): Goal {
  const ratio = medianRatio(
    rates(measurements, load),
    measurements.tpcb.map(round => round.perSecond),
  )
  const aimed = ratio >= TPCB_AIM ? 'reached' : ratio >= TPCB_LEAST ? 'minimum reached' : 'missed'
  return {
    name: `payments over HTTP ÷ TPC-B, ${connections} connections`,
    measured: figure(ratio, 2),
    wanted: `${TPCB_AIM}, at least ${TPCB_LEAST}`,
    verdict: Number.isNaN(ratio) ? 'not measured' : aimed,
  }
}

function hotOverRandom(
  measurements: Measurements,
  hot: LoadName,
  random: LoadName,
  connections: number,
): Goal {
  const ratio = medianRatio(rates(measurements, hot), rates(measurements, random))
  return {
    name: `one hot payee ÷ random pairs, ${connections} connections`,
    measured: figure(ratio, 2),
    wanted: `at least ${HOT_LEAST}`,
    verdict: verdict(ratio, ratio >= HOT_LEAST),
  }
}

function allControls(measurements: Measurements): Goal {
  const ratio = medianRatio(rates(measurements, 'strict-64'), rates(measurements, 'open-64'))
  return {
    name: 'all ten controls ÷ none, 64 connections',
    measured: figure(ratio, 2),
    wanted: `at least ${STRICT_LEAST}`,
    verdict: verdict(ratio, ratio >= STRICT_LEAST),
  }
}

function oneClient(measurements: Measurements): Goal {
  const p50Ms = median((measurements.loads.get('random-1') ?? []).map(round => round.p50Ms))
  return {
    name: 'one client, median response time',
    measured: `${figure(p50Ms, 2)} ms`,
    wanted: `under ${CLIENT_P50_MS} ms`,
    verdict: verdict(p50Ms, p50Ms < CLIENT_P50_MS),
  }
}

function oneClientOverTpcb({ loads, tpcbAloneMs }: Measurements): Goal {
  const ratio = medianRatio(
    (loads.get('random-1') ?? []).map(round => round.p50Ms),
    tpcbAloneMs,
  )
  return {
    name: 'one client, median response time ÷ average of pgbench with one client',
    measured: figure(ratio, 2),
    wanted: `at most ${ONE_CLIENT_MOST}`,
    verdict: verdict(ratio, ratio <= ONE_CLIENT_MOST),
  }
}

export function verdict(measured: number, reached: boolean): Goal['verdict'] {
  if (Number.isNaN(measured)) return 'not measured'
  return reached ? 'reached' : 'missed'
}

function rates(measurements: Measurements, load: LoadName): number[] {
  return (measurements.loads.get(load) ?? []).map((round: LoadMeasurement) => perSecond(round))
}

function medianRatio(above: readonly number[], below: readonly number[]): number {
  return median(above.map((value, round) => value / (below[round] ?? Number.NaN)))
}

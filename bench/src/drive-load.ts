import { setTimeout as delay } from 'node:timers/promises'
import { type Connection, openConnection } from './connection.ts'
import { latencyHistogram } from './latency-histogram.ts'
import type { LoadReport, Order } from './messages.ts'
import type { RequestRing } from './request-ring.ts'

const DRAIN_WITHIN_MS = 30_000
const MICROSECONDS = 1e6

export interface WindowEvents {
  onBegan(): void
  onEnded(): void
}

/** Pays as fast as the responses come or at a fixed rate, over a number of connections, and counts within a window. */
export async function driveLoad(
  port: number,
  ring: RequestRing,
  order: Order,
  events: WindowEvents,
): Promise<LoadReport> {
  const crew = await openCrew(port, ring, order.connections)
  if (order.perSecond === undefined) crew.start()
  else crew.startAt(order.perSecond)
  await delay(order.warmUpMs)
  crew.latencies.clear()
  const cpuBefore = process.cpuUsage()
  const beganMs = performance.now()
  events.onBegan()
  await delay(order.measureMs)
  const seconds = (performance.now() - beganMs) / 1000
  const cpu = process.cpuUsage(cpuBefore)
  const { latencies } = crew
  const measured = {
    seconds,
    counted: latencies.count(),
    p50Ms: latencies.percentile(0.5),
    p95Ms: latencies.percentile(0.95),
    p99Ms: latencies.percentile(0.99),
    cpuSeconds: (cpu.user + cpu.system) / MICROSECONDS,
  }
  events.onEnded()
  await crew.finish()
  return { ...measured, paid: crew.paid(), refused: crew.refused, refusal: crew.refusal() }
}

/** The connections of one order, and their results. */
async function openCrew(port: number, ring: RequestRing, size: number) {
  const latencies = latencyHistogram()
  const refused: Record<string, number> = {}
  let refusal: string | null = null
  let paid = 0
  let active = 0
  let stopping = false
  let whenIdle: (() => void) | undefined
  const pacer = openPacer(ring)

  function countRefusal(kind: string, text: string): void {
    refused[kind] = (refused[kind] ?? 0) + 1
    refusal ??= text
  }
  function leave(): void {
    active--
    if (active === 0) whenIdle?.()
  }
  async function hire(): Promise<Connection> {
    let hired: Connection | undefined
    const connection = await openConnection(port, {
      onResponse(status, milliseconds, body) {
        if (status === 200) {
          paid++
          latencies.add(milliseconds)
        } else countRefusal(String(status), body.toString())
        if (stopping) leave()
        else if (pacer.isRunning()) pacer.offer(connection)
        else connection.send(ring.next())
      },
      onLost(reason) {
        countRefusal('lost', reason)
        if (hired !== undefined) pacer.forget(hired)
        leave()
      },
    })
    hired = connection
    return connection
  }
  const connections = await Promise.all(Array.from({ length: size }, hire))

  return {
    latencies,
    refused,
    refusal: () => refusal,
    paid: () => paid,
    start() {
      active = connections.length
      for (const connection of connections) connection.send(ring.next())
    },
    startAt(perSecond: number) {
      active = connections.length
      for (const connection of connections) pacer.offer(connection)
      pacer.start(perSecond)
    },
    /** Waits for running requests, because the ledger will be compared with the responses. */
    async finish() {
      stopping = true
      active -= pacer.stop()
      const idle = new Promise<void>(resolve => {
        whenIdle = resolve
        if (active === 0) resolve()
      })
      await Promise.race([idle, delay(DRAIN_WITHIN_MS, undefined, { ref: false })])
      if (active > 0) countRefusal('no response', `${active} payments got no response`)
      for (const connection of connections) connection.close()
    },
  }
}

/** Sends at a fixed rate over the free connections. A late payment is sent as soon as a connection is free. */
function openPacer(ring: RequestRing) {
  const free: Connection[] = []
  let timer: NodeJS.Timeout | undefined
  return {
    isRunning: () => timer !== undefined,
    offer: (connection: Connection) => void free.push(connection),
    forget(connection: Connection) {
      if (free.includes(connection)) free.splice(free.indexOf(connection), 1)
    },
    start(perSecond: number) {
      const startedMs = performance.now()
      let sent = 0
      timer = setInterval(() => {
        const due = Math.floor(((performance.now() - startedMs) * perSecond) / 1000)
        // In turns, so that no connection is idle until the service closes it.
        for (; sent < due && free.length > 0; sent++) free.shift()?.send(ring.next())
      }, 1)
    },
    /** The number of connections without a request in progress. */
    stop(): number {
      clearInterval(timer)
      return free.length
    },
  }
}

import type { MetricObjectWithValues, MetricValue } from 'prom-client'
import type { Config } from '../config/config.ts'
import type { Count } from '../http/admission/rate-limit-store.ts'

/** All metrics of one process, as the library aggregates them. */
export type ProcessMetrics = readonly MetricObjectWithValues<MetricValue<string>>[]

/** What may change while the service runs. */
export type Reloaded = Pick<Config, 'rateLimits' | 'logLevel'>

/** What a worker process starts with: it reads neither the environment nor files. */
export interface WorkerStart {
  readonly kind: 'start'
  /** From 1; the log has it. A process that replaces another one has its number. */
  readonly number: number
  readonly config: Config
  readonly databaseUrl: string
  readonly masterKey: Uint8Array
}

/** A question of a budget, by the order in which budgets are made. `windowMs` null: only read. */
export interface CountRequest {
  readonly budget: number
  readonly key: string
  readonly windowMs: number | null
}

/** The messages to a worker process. */
export type ToWorker =
  | WorkerStart
  | { readonly kind: 'reload'; readonly next: Reloaded }
  | { readonly kind: 'stop' }
  | { readonly kind: 'counted'; readonly counts: readonly Count[] }
  | { readonly kind: 'read metrics'; readonly id: number }
  | { readonly kind: 'node metrics'; readonly id: number; readonly text: string }

/** The messages from a worker process. */
export type FromWorker =
  | { readonly kind: 'ready'; readonly port: number }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'count'; readonly requests: readonly CountRequest[] }
  | { readonly kind: 'metrics'; readonly id: number; readonly metrics: ProcessMetrics }
  | { readonly kind: 'read node metrics'; readonly id: number }

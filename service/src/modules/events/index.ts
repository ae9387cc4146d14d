/** What platforms are told: each event is recorded in the commit of the fact that it tells. */
export { emit, type NewEvent, recordEvents } from './record-events.ts'

/** What platforms are told: each event is recorded in the commit of the fact that it tells. */
export { emitPayment, paymentEventName, receivedEventOf, sentEventOf } from './emit-payment.ts'
export { type EventKey, eventNamed, type NewEvent } from './event.ts'
export { readEvents } from './read-events.ts'
export { emit, recordEvents, recordUnqueued } from './record-events.ts'

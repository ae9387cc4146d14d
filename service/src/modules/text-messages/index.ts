/** Text messages that tell owners what happened to their accounts. */

export { type Occasion, queueTextMessage } from './queue.ts'
export { openTextMessages, type TextMessages } from './send-due.ts'

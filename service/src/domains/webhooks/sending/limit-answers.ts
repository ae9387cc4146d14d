import type { Socket } from 'node:net'
import { AnswerTooLong } from './unanswered.ts'

/** The limit for everything after a request: ten informational responses, headers, and the body in the smallest chunks. */
const MAX_ANSWER_BYTES = 512 * 1024

/**
 * Destroys a connection on which more arrives than the limit for a response. The HTTP parser limits headers and the
 * exchange limits bodies; neither counts empty lines, reason phrases or chunk extensions, and reading an endless stream
 * of them would occupy a core.
 */
export function limitAnswers(socket: Socket): void {
  let written = -1
  let readBefore = 0
  socket.on('readable', () => {
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten
      readBefore = socket.bytesRead
    }
    if (socket.bytesRead - readBefore > MAX_ANSWER_BYTES) socket.destroy(new AnswerTooLong())
  })
}

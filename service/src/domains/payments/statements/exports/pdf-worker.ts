import { parentPort, workerData } from 'node:worker_threads'
import { type PaperStatement, pdfOf } from './pdf.ts'

/** A thread that makes one document (see print.ts). */
const bytes = await pdfOf(workerData as PaperStatement)
parentPort?.postMessage(bytes)

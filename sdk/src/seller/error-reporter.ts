type ReportError = (error: unknown) => void

/** A reporter of errors that never throws; without `onError` it is a warning of the process. */
export function errorReporterOf(onError: ((error: unknown) => unknown) | undefined): ReportError {
  async function report(error: unknown): Promise<void> {
    try {
      await (onError ?? warn)(error)
    } catch {
      // An error of onError itself is ignored.
    }
  }
  return error => {
    void report(error)
  }
}

interface Platform {
  readonly process?: { readonly emitWarning?: (warning: Error | string) => void }
  readonly console: { readonly warn: (text: unknown) => void }
}

/** An error without an onError may be about money, so it is written as a warning of the platform. */
function warn(error: unknown): void {
  const { process, console: terminal }: Platform = globalThis
  const emitWarning = process?.emitWarning
  if (emitWarning === undefined) terminal.warn(error)
  else emitWarning.call(process, error instanceof Error ? error : String(error))
}

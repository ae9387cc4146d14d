/** The browser has begun to save the file when its address is given up. */
const SAVING_MS = 60_000

/** Lets the browser save a file under a name. */
export function saveFile(file: Blob, name: string): void {
  const address = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), SAVING_MS)
}

/** The same for a value, as JSON. */
export function saveJson(value: unknown, name: string): void {
  saveFile(new Blob([JSON.stringify(value, null, 2)], { type: 'application/json' }), name)
}

/** The URL of another database on the same server, with the same credentials. */
export function withDatabaseName(url: string, name: string): string {
  const [address = '', parameters] = url.split('?', 2)
  const path = address.indexOf('/', address.indexOf('://') + 3)
  const server = path === -1 ? address : address.slice(0, path)
  return parameters === undefined ? `${server}/${name}` : `${server}/${name}?${parameters}`
}

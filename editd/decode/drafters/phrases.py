"""What code usually says: idioms of common languages, known before a file is read.

New text is written in words that the file need not hold yet: ``*args, **kwargs``, ``if err != nil``. A
compressor keeps such words in a static dictionary (Brotli, RFC 7932, appendix A); here they are lines of
text that stand before the prompt, in which ``suffix`` finds them like any other earlier text. They were
written down from general knowledge of the languages and taken from no recorded edit; they stand in their
usual indentation, as blanks are part of tokens. Measured: docs/explanation/drafting.md.
"""

from __future__ import annotations

PHRASES = r'''def __init__(self, *args, **kwargs):
    super().__init__(*args, **kwargs)
    self.name = name
def __init__(self, name: str) -> None:
def __repr__(self) -> str:
    return f"{self.__class__.__name__}({self.name!r})"
def __str__(self):
def __len__(self) -> int:
def __eq__(self, other: object) -> bool:
def __enter__(self):
def __exit__(self, exc_type, exc_value, traceback):
    return self
    return None
    return True
    return False
    return result
    if value is None:
    if not value:
    if isinstance(value, str):
    if not isinstance(value, (list, tuple)):
    raise ValueError("Invalid value")
    raise TypeError(f"expected str, got {type(value).__name__}")
    raise NotImplementedError
    raise RuntimeError(msg)
    msg = f""
    raise KeyError(key) from None
    try:
    except Exception as e:
    except (KeyError, ValueError) as exc:
    except ImportError:  # pragma: no cover
    finally:
    else:
        pass
    for i in range(len(items)):
    for key, value in items.items():
    for i, item in enumerate(items):
    while True:
    with open(path, "r", encoding="utf-8") as f:
    yield
    @property
    @staticmethod
    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Self":
    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        return func(*args, **kwargs)
    return wrapper
    @overload
    @dataclass(frozen=True)
    @pytest.mark.parametrize(
    async def run(self) -> None:
    await asyncio.sleep(0)
    lambda x: x
    logger = logging.getLogger(__name__)
    logger.debug("")
    warnings.warn("is deprecated", DeprecationWarning, stacklevel=2)
    , default=None, help="")
    kwargs.get("", None)
    os.path.join(os.path.dirname(__file__), "")
    sys.exit(1)
    "\n".join(lines)
    # type: ignore
    # noqa
from __future__ import annotations
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple, Union
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
if TYPE_CHECKING:
if __name__ == "__main__":
    main()
    """Return the name of the given object.

    Args:
        name (str): The name of the file. Defaults to None.
        flag (bool, optional): Whether to use it. Defaults to False.

    Returns:
        The default value if it is not set, otherwise None.

    Raises:
        ValueError: If the value is invalid.

    Parameters
    ----------
    :param name: The name to use.
    :return: the result of the call
    :class:`str`
    .. versionadded:: 1.0
    .. versionchanged:: 2.0
    .. deprecated:: 1.0
    """
    # This is only used for the case in which there is no such file, so that we can use it as is.
    # Note that this should not be called if the configuration has been changed by the user.
    # Make sure that all of the arguments are passed and that they have the right type.
    assert result == expected
    self.assertEqual(result, expected)
    const result = await fetch(url);
    const { data, error } = this.props;
    let i = 0;
    return new Promise((resolve, reject) => {
    export default function App() {
    export interface Options {
    export const value: string | undefined = null;
    import { useState } from 'react';
    if (typeof value === 'undefined') {
    } else if (value !== null) {
    } catch (error) {
      console.log(error);
      throw new Error(`Unknown value: ${value}`);
    });
    for (let i = 0; i < items.length; i++) {
    items.map((item) => item.name).filter(Boolean)
    describe('should', () => {
      it('should return', async () => {
        expect(result).toEqual(expected);
    private readonly name: string;
    public static void main(String[] args) {
    public class Main extends Base implements Runnable {
    private final String name;
    @Override
    public String toString() {
    throw new IllegalArgumentException("");
    System.out.println("");
    List<String> list = new ArrayList<>();
    if (value == null) {
        return null;
    if err != nil {
        return nil, err
        return fmt.Errorf("failed to: %w", err)
    func (s *Server) Run(ctx context.Context) error {
    for _, item := range items {
    t.Errorf("got %v, want %v", got, want)
    pub fn new(name: &str) -> Self {
    impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut result = Vec::new();
    match value {
        Some(value) => value,
        None => return Err(Error::new()),
        Ok(()) => {}
    #[derive(Debug, Clone, PartialEq)]
    #[cfg(test)]
    .unwrap_or_default()
    .map(|x| x.to_string()).collect::<Vec<_>>()
    #include <stdio.h>
    static int init(struct context *ctx, const char *name, size_t len)
    for (int i = 0; i < n; i++) {
    if (ptr == NULL)
        return -1;
    free(ptr);
    std::vector<std::string> items;
    local function init(self)
    return function() end
    local ok, err = pcall(function()
    if not ok then
    end
    import os
    import sys
    import logging
    from pathlib import Path
    def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--verbose", action="store_true", help="Print more.")
    self.assertRaises(ValueError, lambda: None)
    with pytest.raises(ValueError, match=""):
    def setUp(self):
    def test_default(self) -> None:
    mock.return_value = None
    return cls(**kwargs)
    return [item for item in items if item is not None]
    return tuple(sorted(set(values)))
    return sum(x * x for x in values) / len(values)
    if len(args) == 0 or args[0] != "":
    elif isinstance(other, type(self)):
    if hasattr(obj, "__iter__") and not callable(obj):
    assert isinstance(node, dict), f"unexpected type: {type(node)}"
    except OSError as error:
        raise FileNotFoundError(f"{path} does not exist") from error
    datetime.datetime.now(tz=datetime.timezone.utc)
    re.compile(r"^\s*(\w+)\s*=\s*(.*)$")
    json.dumps(data, indent=2, sort_keys=True)
    subprocess.run(["git", "status"], check=True, capture_output=True, text=True)
    self._lock = threading.Lock()
    with self._lock:
    async with session.get(url, timeout=timeout) as response:
    async for chunk in response:
    asyncio.create_task(self._run())
    print(f"{name}: {count}", file=sys.stderr)
    # If the given argument is not a string, convert it to the corresponding type before it is used.
    # We need to check whether this has already been done, otherwise it would be called twice.
    # For backwards compatibility, the default is to ignore errors and continue with the next line.
    This method creates a new instance and sets the required attributes of the current object.
    Specifies the maximum number of items to return, or ``None`` for no limit.
    Must be one of the following; see the documentation for more information.
    Used internally to determine which values are available, when possible.
    The first element of the list contains the start position, the second one its length.
    Whether or not to include additional properties in the output.
    Added support for custom message handlers. Fixed a bug that occurs on Windows.
    Convert the input to lowercase and remove leading and trailing whitespace.
    An optional dictionary that maps each key to its respective value.
    module.exports = { name, version };
    const [state, setState] = useState<boolean>(false);
    useEffect(() => {
    }, []);
    return (
      <div className="container">
      </div>
    );
    export type Props = { children: React.ReactNode };
    export async function get(id: number): Promise<void> {
    function isObject(value: unknown): value is Record<string, unknown> {
    const element = document.getElementById('root');
    if (!Array.isArray(items) || items.length === 0) return;
    Object.keys(obj).forEach((key) => {
    public function __construct(array $options = [])
    protected override void Dispose(bool disposing)
    @Test
    public void testSimple() throws Exception {
        assertEquals(expected, actual);
    private static final Logger LOG = LoggerFactory.getLogger(Main.class);
    Map<String, Object> map = new HashMap<String, Object>();
    for (Map.Entry<String, String> entry : map.entrySet()) {
    if (!(o instanceof Node)) return false;
    } catch (IOException e) {
      throw new RuntimeException(e);
    } finally {
    package main
    type Config struct {
    Name string `json:"name"`
    if err := json.Unmarshal(data, &v); err != nil {
    defer mu.Unlock()
    log.Fatalf("error: %v", err)
    func TestNew(t *testing.T) {
    return &Config{}, nil
    make([]string, 0, len(items))
    use std::collections::HashMap;
    pub struct Config {
    pub(crate) fn get(&self, key: &str) -> Option<&String> {
    impl<'a, T> Iterator for Iter<'a, T>
    where
        T: Send + Sync + 'static,
    if let Some(value) = self.map.get(&key) {
    assert_eq!(result, vec![1, 2, 3]);
    #[test]
    println!("{:?}", value);
    .expect("failed to")
    #ifndef CONFIG_H
    #define MAX(a, b) ((a) > (b) ? (a) : (b))
    #endif
    typedef struct node {
        struct node *next;
    } node_t;
    const char *name = "";
    memset(&buf, 0, sizeof(buf));
    fprintf(stderr, "%s: %d\n", __func__, ret);
    unsigned int flags = 0;
    case 0:
        break;
    default:
    static inline bool is_valid(uint32_t value)
    template <typename T>
    return std::make_unique<T>(std::move(value));
    for (const auto& item : items) {
    local M = {}
    return M
    for _, v in ipairs(list) do
    if type(value) == "table" then
    elseif value ~= nil then
      runs-on: ubuntu-latest
      - uses: actions/checkout@v4
        with:
          python-version: "3.12"
    ```bash
    $ pip install --upgrade
    ## Installation
    - [ ] See the [documentation](https://example.com/docs) for details.
'''

"""The module of the standard library from which a name usually comes, by language."""

from __future__ import annotations

import sys

from editd.syntax.language import SCRIPTS


def _table(text: str) -> dict[str, str]:
    """A table of lines with a module and its names: the module of each name. A name of several modules is in none."""
    found: dict[str, str] = {}
    twice: set[str] = set()
    for line in text.strip().splitlines():
        module, *names = line.split()
        for name in names:
            twice |= {name} & set(found)
            found[name] = module
    return {name: module for name, module in found.items() if name not in twice}


_PYTHON = _table(
    """
    pathlib Path PurePath PosixPath
    collections defaultdict Counter OrderedDict deque namedtuple ChainMap
    collections.abc Mapping MutableMapping Sequence MutableSequence
    dataclasses dataclass asdict astuple
    datetime timedelta timezone tzinfo
    decimal Decimal ROUND_HALF_UP ROUND_DOWN InvalidOperation
    fractions Fraction
    functools partial lru_cache wraps reduce cached_property total_ordering singledispatch
    contextlib contextmanager suppress closing ExitStack redirect_stdout nullcontext asynccontextmanager
    enum Enum IntEnum StrEnum auto Flag IntFlag
    abc ABC abstractmethod ABCMeta
    typing Any Optional Union Callable Protocol TypedDict NamedTuple Literal TypeVar Generic ClassVar cast TYPE_CHECKING overload Iterator Iterable Generator
    io StringIO BytesIO
    concurrent.futures ThreadPoolExecutor ProcessPoolExecutor as_completed
    threading Thread Lock RLock Event
    urllib.parse urlparse urlencode urljoin quote unquote parse_qs
    urllib.request urlopen
    itertools chain groupby islice product permutations combinations zip_longest accumulate
    operator itemgetter attrgetter
    time sleep perf_counter monotonic
    uuid uuid4 UUID
    textwrap dedent
    argparse ArgumentParser
    tempfile TemporaryDirectory NamedTemporaryFile mkdtemp
    copy deepcopy
    math sqrt floor ceil hypot pi
    subprocess Popen CalledProcessError check_output check_call
    email.message EmailMessage
    zoneinfo ZoneInfo
    unittest.mock patch MagicMock Mock
    heapq heappush heappop
    bisect bisect_left bisect_right insort
    json JSONDecodeError
    random randint choice shuffle
    types SimpleNamespace
    string Template
    """
)
_NODE = frozenset(
    """
    assert buffer child_process cluster crypto dgram dns events fs http http2 https net os path perf_hooks process querystring readline stream
    string_decoder timers tls tty url util v8 vm worker_threads zlib
    """.split()  # noqa: SIM905
)
_NODE_NAMES = _table(
    """
    crypto createHash createHmac randomBytes randomUUID timingSafeEqual createCipheriv
    fs readFileSync writeFileSync existsSync mkdirSync readdirSync statSync unlinkSync createReadStream createWriteStream rmSync copyFileSync
    path basename dirname extname
    events EventEmitter
    child_process execSync spawn execFile spawnSync exec
    util promisify inspect
    url fileURLToPath pathToFileURL
    os tmpdir homedir hostname
    stream Readable Writable Transform pipeline
    http createServer
    zlib gzipSync gunzipSync
    react useState useEffect useRef useMemo useCallback useContext useReducer createContext useLayoutEffect forwardRef memo
    """
)
_GO = _table(
    """
    bufio bufio
    bytes bytes
    context context
    errors errors
    flag flag
    fmt fmt
    io io
    log log
    math math
    net net
    os os
    reflect reflect
    regexp regexp
    sort sort
    slices slices
    maps maps
    strconv strconv
    strings strings
    sync sync
    time time
    unicode unicode
    path/filepath filepath
    os/exec exec
    os/signal signal
    net/http http
    net/url url
    encoding/json json
    encoding/csv csv
    encoding/hex hex
    encoding/base64 base64
    encoding/xml xml
    encoding/binary binary
    sync/atomic atomic
    unicode/utf8 utf8
    database/sql sql
    log/slog slog
    crypto/sha256 sha256
    crypto/md5 md5
    crypto/hmac hmac
    io/fs fs
    math/big big
    net/http/httptest httptest
    compress/gzip gzip
    archive/zip zip
    text/tabwriter tabwriter
    runtime runtime
    syscall syscall
    testing testing
    embed embed
    hash/fnv fnv
    """
)
_JAVA = _table(
    """
    java.util List ArrayList Map HashMap Set HashSet LinkedList LinkedHashMap LinkedHashSet TreeMap TreeSet Collections Collection Arrays Optional Objects Iterator Scanner UUID Random Comparator Queue Deque ArrayDeque PriorityQueue EnumMap EnumSet Locale Properties StringJoiner NoSuchElementException Timer TimerTask OptionalInt Base64 Currency
    java.util.stream Collectors Stream IntStream
    java.util.function Function Supplier Consumer Predicate BiFunction BiConsumer UnaryOperator
    java.util.concurrent ConcurrentHashMap ExecutorService Executors TimeUnit CompletableFuture Future Callable CountDownLatch CopyOnWriteArrayList ScheduledExecutorService ThreadLocalRandom
    java.util.concurrent.atomic AtomicInteger AtomicLong AtomicBoolean AtomicReference
    java.util.regex Pattern Matcher
    java.io File IOException InputStream OutputStream BufferedReader BufferedWriter FileReader FileWriter InputStreamReader FileInputStream FileOutputStream PrintWriter UncheckedIOException Serializable Closeable FileNotFoundException StringWriter StringReader ByteArrayInputStream ByteArrayOutputStream
    java.nio.file Files Path Paths StandardOpenOption
    java.nio.charset StandardCharsets Charset
    java.time Instant Duration LocalDate LocalDateTime LocalTime ZonedDateTime ZoneId OffsetDateTime Clock Period
    java.time.format DateTimeFormatter
    java.math BigDecimal BigInteger RoundingMode
    java.text SimpleDateFormat DecimalFormat NumberFormat
    java.sql Connection PreparedStatement ResultSet SQLException DriverManager Timestamp
    java.net URI URL HttpURLConnection URLEncoder InetAddress Socket ServerSocket
    """
)
_RUST = _table(
    """
    std::collections HashMap HashSet BTreeMap BTreeSet VecDeque BinaryHeap
    std::fs File OpenOptions
    std::io Read Write BufRead BufReader BufWriter Seek Cursor
    std::path Path PathBuf
    std::sync Arc Mutex RwLock Once OnceLock
    std::sync::atomic AtomicUsize AtomicBool AtomicU64 Ordering
    std::rc Rc Weak
    std::cell RefCell Cell
    std::time Duration Instant SystemTime
    std::str FromStr
    std::process Command
    std::fmt Display Formatter
    std::env args
    std::thread spawn
    std::borrow Cow
    std std::env std::fs std::io std::fmt std::mem std::thread std::process
    std::error Error
    std::ops Deref DerefMut Index IndexMut
    """
)
_RUST_MODULES = frozenset(
    "env fs io fmt mem thread process cmp iter ptr time collections path sync rc cell".split()  # noqa: SIM905
)
_C = _table(
    """
    stdio.h printf fprintf sprintf snprintf puts fopen fclose fgets fputs fread fwrite scanf sscanf perror getline FILE stdout stderr stdin putchar getchar
    stdlib.h malloc calloc realloc free exit atoi atof strtol strtoul strtod qsort abort getenv rand srand abs EXIT_FAILURE EXIT_SUCCESS
    string.h strlen strcpy strncpy strcmp strncmp strcat strncat strchr strrchr strstr strtok strdup memcpy memset memmove memcmp strerror
    stdbool.h bool true false
    stdint.h uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t UINT32_MAX
    ctype.h isdigit isalpha isspace toupper tolower isalnum isupper islower
    math.h sqrt pow sin cos tan fabs floor ceil fmod
    time.h time clock localtime strftime time_t difftime
    errno.h errno
    assert.h assert
    unistd.h usleep sleep read write close getopt fork
    limits.h INT_MAX INT_MIN UINT_MAX
    signal.h signal SIGINT SIGTERM raise
    pthread.h pthread_create pthread_join pthread_mutex_lock
    """
)


def standard_module(name: str, language: str) -> str:
    """The module from which a name comes (``pathlib`` for ``Path``), or ``name`` if it is a module itself; empty if it is neither for
    certain.
    """
    if language == "python":
        return (
            name
            if name in sys.stdlib_module_names and name not in _PYTHON and name != "datetime"
            else _PYTHON.get(name, "")
        )
    if language in SCRIPTS:
        return name if name in _NODE else _NODE_NAMES.get(name, "")
    tables = {"go": _GO, "java": _JAVA, "rust": _RUST, "c": _C, "cpp": _C}
    if language == "rust" and name in _RUST_MODULES:
        return "std"
    return tables.get(language, {}).get(name, "")

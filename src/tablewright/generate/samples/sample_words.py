"""The words of sample data. Domains, telephone numbers and addresses are those reserved for documentation.

Sources: RFC 2606 (example.com), RFC 5737 (203.0.113.0/24), the North American numbers 555-0100 to 555-0199.
"""

FIRST_NAMES = (
    "Ada Alan Amara Anders Beatriz Carlos Chen Claire Daniel Elif Emma Farid Grace Hana Hugo Ines Ivan Jonas "
    "Katrin Kofi Lena Liam Linnea Maya Mateo Mei Nadia Noah Olga Omar Priya Rafael Rosa Sami Sofia Tariq Tomas "
    "Wanda Yusuf Zoe"
).split()
LAST_NAMES = (
    "Adeyemi Andersson Becker Bianchi Castro Chen Dubois Eriksson Fischer Garcia Haddad Hansen Ito Jansen "
    "Johansson Kaya Keller Kim Kowalski Lindqvist Lopez Martin Mensah Moreau Mueller Nakamura Nguyen Novak Okafor "
    "Patel Petrov Rossi Santos Schmidt Silva Singh Virtanen Weber Yilmaz Zhang Haugen"
).split()
COMPANIES = (
    "Northwind Brightpath Cedarline Fernhill Bluewater Harbourside Ironbridge Juniper Larkfield Meadowlark Oakmere "
    "Pinecrest Quarrystone Riverbend Silverbirch Tidewater Umbra Vantage Westbrook Yarrow"
).split()
COMPANY_FORMS = ("Labs", "Studio", "Systems", "Analytics", "Health", "Energy", "Foods", "Logistics")
# The tables from here to TIME_ZONES have one row for each country, in the same order.
COUNTRIES = ("Sweden", "Germany", "Brazil", "Japan", "Kenya", "Canada", "Spain", "India", "Poland", "Norway")
COUNTRY_CODES = ("SE", "DE", "BR", "JP", "KE", "CA", "ES", "IN", "PL", "NO")
CITIES = (
    "Stockholm",
    "Berlin",
    "Recife",
    "Kyoto",
    "Nairobi",
    "Toronto",
    "Valencia",
    "Pune",
    "Gdansk",
    "Bergen",
)
CURRENCIES = ("SEK", "EUR", "BRL", "JPY", "KES", "CAD", "EUR", "INR", "PLN", "NOK")
LANGUAGES = ("sv", "de", "pt", "ja", "sw", "en", "es", "hi", "pl", "nb")
TIME_ZONES = (
    "Europe/Stockholm",
    "Europe/Berlin",
    "America/Recife",
    "Asia/Tokyo",
    "Africa/Nairobi",
    "America/Toronto",
    "Europe/Madrid",
    "Asia/Kolkata",
    "Europe/Warsaw",
    "Europe/Oslo",
)
STREETS = ("Harbour Street", "Mill Lane", "Station Road", "Park Avenue", "Church Street", "Garden Walk")
INDUSTRIES = ("Fintech", "Healthcare", "Education", "Logistics", "Energy", "Agriculture", "Gaming", "Retail")
SKILLS = (
    "python",
    "design",
    "sales",
    "marketing",
    "typescript",
    "finance",
    "research",
    "writing",
    "analytics",
)
TAGS = (
    "health",
    "learning",
    "music",
    "reading",
    "travel",
    "cooking",
    "running",
    "climate",
    "family",
    "photography",
)
PLATFORMS = ("stripe", "keap", "hubspot", "mailchimp", "shopify", "xero")
COLOURS = ("#1f77b4", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#17becf")
TITLES = (
    "Plan the spring release",
    "Review the budget",
    "Run a half marathon",
    "Prepare the workshop",
    "Renew the residence permit",
    "Write the annual report",
    "Learn conversational Spanish",
    "Update the landing page",
    "Interview five customers",
    "Book the flight home",
    "Migrate the newsletter",
    "Collect feedback from the team",
)
JOB_TITLES = (
    "Backend engineer",
    "Product designer",
    "Growth lead",
    "Data analyst",
    "Community manager",
    "Head of sales",
    "Mobile developer",
    "Finance lead",
)
GROUP_NAMES = (
    "Reading circle",
    "Weekend hikers",
    "Platform team",
    "Book club",
    "Design guild",
    "Morning runners",
    "Film evening",
    "Support desk",
    "Garden crew",
    "Launch team",
)
PRODUCTS = (
    "Desk lamp",
    "Trail backpack",
    "Espresso cup",
    "Wool blanket",
    "Travel adapter",
    "Field notebook",
    "Rain jacket",
    "Chess set",
    "Water bottle",
    "Headphones",
)
SENTENCES = (
    "Thank you for the quick reply.",
    "The first draft is ready for review.",
    "We meet on Thursday at ten.",
    "I have worked on similar projects for four years.",
    "Please send the signed document by Friday.",
    "The new version loads twice as fast.",
    "Our team is spread over three cities.",
    "This step needs a decision from finance.",
    "Everything went well, with one small delay.",
    "Let me know if you have questions.",
)
TAGLINES = (
    "Invoices that pay themselves",
    "Care plans families understand",
    "Solar power without paperwork",
    "Warehouses that count for you",
    "Lessons that fit a lunch break",
    "Fresh food from the next village",
)
QUESTIONS = (
    "Why do you want to join?",
    "Who referred you to us?",
    "What do you hope to learn?",
    "Which team do you work in?",
)
EVENTS = ("user.created", "order.paid", "invoice.sent", "report.exported", "team.updated", "session.ended")
RESOURCES = ("project", "document", "invoice", "report", "profile", "team")
AGENTS = (
    "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 Version/17.5 Safari/605.1.15",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/126.0 Safari/537.36",
)
WORDS = (
    "amber birch cedar delta ember fjord grove heron iris juniper kestrel larch maple north opal pine quartz river "
    "sage tundra umber violet willow yarrow zephyr"
).split()
